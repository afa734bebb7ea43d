"""`workshop pack`: fills a folder, such as a USB stick, from which laptops install the workshop without network."""
