# Installs a CRAN package: Rscript install_cran.R FOLDER NAME REPOSITORY.
args <- commandArgs(TRUE)
.libPaths(c(args[1], .libPaths()))
install.packages(args[2], lib = args[1], repos = args[3])
# install.packages only warns if a package cannot be had, so it is looked for afterwards.
if (!requireNamespace(args[2], quietly = TRUE)) stop(paste("The package", args[2], "was not installed"))
