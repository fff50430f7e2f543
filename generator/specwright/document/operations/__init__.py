"""Operations of a document: their parts, names and declarations."""
