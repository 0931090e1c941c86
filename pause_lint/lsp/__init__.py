"""The language server: what `check` finds, in an editor while one types, and the fixes as code actions.

Needs pygls, which only this folder imports; nothing else imports this folder before it is asked for. Here open
documents are looked at in the place of their files; what is found, and how it is fixed, is decided elsewhere.
"""
