/** Installs the wheels of a .wheelhouse.zip, which needs no index, with the program of pipScript.ts. */
export const installWheelhouseScript = `
import glob, os, subprocess, sys, tempfile, zipfile
with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(sys.argv[2]) as archive:
        archive.extractall(folder)
    wheels = glob.glob(os.path.join(folder, "**", "*.whl"), recursive=True)
    if not wheels:
        sys.exit("There is no wheel in " + sys.argv[2])
    sys.exit(subprocess.call([sys.executable, sys.argv[1], "install", "--disable-pip-version-check", "--no-input", "--no-index", "--find-links", folder] + wheels))
`;

/** install.packages only warns where a package cannot be had, so it is looked for afterwards. */
export const installCranScript =
  'args <- commandArgs(TRUE); .libPaths(c(args[1], .libPaths())); install.packages(args[2], lib = args[1], repos = args[3]); ' +
  'if (!requireNamespace(args[2], quietly = TRUE)) stop(paste("The package", args[2], "was not installed"))';
