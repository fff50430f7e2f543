"""What single answers prove, said in the same words whichever source sent the request."""
