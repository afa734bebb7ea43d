"""What the compiler made of a kernel: its instructions beside the source, and a summary in sentences.

`launching` finds out what a script launches and has it compiled, `instructions` and `operations` read what the compiler
prints, and `summary` puts them together. What is read is plain data, and needs no compiler.
"""
