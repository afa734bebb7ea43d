"""Which mistake a script makes and where: it is run again, with changes, until one of them says so."""
