"""An archive of files in Litestar, whose bugs `specwright test` has to find."""
