"""The presenter's view in a second terminal: notes, what comes next, and the time.

It follows the slides over presenterm's own protocol, so either side may be presenterm. `protocol` defines the messages,
`channel` sends and receives them, `follower` decides whom to follow, `schedule` reads the plan, `page` draws, and `app`
shows.
"""
