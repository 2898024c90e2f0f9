# Filled with the package: find_package(amphora) and pkg-config.
