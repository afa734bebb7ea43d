"""The presenter's view in a second terminal: notes, what comes next, and the time.

It follows the slides over presenterm's own protocol, so either side may be presenterm. `protocol` says what is told,
`channel` tells and hears it, `follower` decides whom to follow, `schedule` reads the plan, `sheet` draws, `app` shows.
"""
