"""The presenter's view in a second terminal: notes, next slide, and time.

`protocol` defines the messages from the slides, `channel` sends and receives them, `follower` chooses the slides to
follow, `schedule` reads the plan, `page` draws, and `app` shows.
"""
