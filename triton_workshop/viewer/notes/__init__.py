"""The presenter's view in a second terminal: notes, what comes next, and the time.

`protocol` defines what the slides tell it, `channel` sends and receives that, `follower` decides whom to follow,
`schedule` reads the plan, `page` draws, and `app` shows.
"""
