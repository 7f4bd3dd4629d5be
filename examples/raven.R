# Runs Raven from R and reads its tables: what is said of each verifier, with intervals, and a picture.
#   Rscript raven.R CORPUS VERIFIERS FOLDER [more options of raven run]
#   Rscript raven.R posts.csv "char-ngram, style-only" my-run --probe transplant
words <- commandArgs(trailingOnly = TRUE)
if (length(words) < 3) stop("give CORPUS, VERIFIERS and FOLDER", call. = FALSE)
folder <- words[3]
arguments <- c("run", words[1], "--verifiers", words[2], "--out", folder, words[-(1:3)])
Sys.unsetenv("LD_LIBRARY_PATH") # R's libraries are not Python's
status <- system2("raven", shQuote(arguments))
content <- file.path(folder, "report", "tables", "content.csv")
if (status > 1 || !file.exists(content)) stop("raven ended with ", status, call. = FALSE)

table <- read.csv(content, check.names = FALSE)
limits <- function(figure, name = figure) {
  low <- table[[paste("interval of", name, "low")]]
  high <- table[[paste("interval of", name, "high")]]
  sprintf("%.3f [%.3f, %.3f]", table[[figure]], low, high)
}
cat(sprintf("%s: %s; style left %s; swing %s\n", table$verifier, table$verdict,
            limits("style left"), limits("swing")), sep = "")

pdf(file.path(folder, "verdicts.pdf"), width = 7, height = 2 + nrow(table) / 3)
par(mar = c(4, 12, 1, 1))
rows <- rev(seq_len(nrow(table)))
plot(table$`style left`, rows, xlim = c(0, 1), ylim = c(0, nrow(table) + 1), yaxt = "n",
     pch = 19, xlab = "style left (AUC), 95 % interval", ylab = "")
segments(table$`interval of style left low`, rows, table$`interval of style left high`, rows)
axis(2, at = rows, labels = table$verifier, las = 1)
invisible(dev.off())
