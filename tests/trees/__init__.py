"""Small trees of several files, and what the analysis of the whole tree finds in them."""
