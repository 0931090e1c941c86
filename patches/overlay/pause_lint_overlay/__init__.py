"""The patched engine: which files of which versions, what is done to them, and how that is put in force.

Needs the standard library only, for it runs inside finished images. It analyses nothing: the edits come from
`pause-lint fix`, by way of the manifests.
"""
