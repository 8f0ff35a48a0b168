"""Run launch files written in XML: the subset of launch_xml and launch_ros that Truthbed uses.

`entity` reads the file, `substitutions` reads and performs `$(...)`, `tags` says which tags and
attributes exist, `actions` walks the file and collects the processes to start, `node` makes a
node's command line, `supervisor` runs them. Meaning and order of evaluation follow the real
packages; one thing differs: all of the file is evaluated before the first process starts, so that
a mistake starts nothing.
"""
