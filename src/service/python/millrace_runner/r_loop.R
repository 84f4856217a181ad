# Evaluates the files whose paths it is sent, one a line. The marker ends what one cell printed. Plots have no place to go.
options(warn = 1, device = function(...) grDevices::pdf(NULL))
.millrace <- commandArgs(TRUE)[1]
.input <- file("stdin", "r")
while (length(.path <- readLines(.input, n = 1)) > 0) {
  .status <- tryCatch({ source(.path, local = globalenv(), print.eval = TRUE, encoding = "UTF-8"); "ok" },
    error = function(e) { message("Error: ", conditionMessage(e)); paste("error", gsub("\n", " ", conditionMessage(e))) })
  cat("\n", .millrace, " ", .status, "\n", sep = ""); flush(stdout())
}
