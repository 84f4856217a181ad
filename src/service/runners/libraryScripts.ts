/**
 * Makes a virtual environment that also sees the packages of the Python it is made from, even where that is a virtual
 * environment itself, whose packages `system_site_packages` leaves out.
 */
export const createEnvironmentScript = `
import importlib.util, os, sys, sysconfig, venv
target = sys.argv[1]
# The pip that is seen through the environment installs into it; unpacking another takes seconds.
venv.EnvBuilder(system_site_packages=True, with_pip=importlib.util.find_spec("pip") is None, symlinks=os.name != "nt").create(target)
if sys.prefix != sys.base_prefix:
    own = sysconfig.get_path("purelib", vars={"base": target, "platbase": target})
    with open(os.path.join(own, "_parent.pth"), "w") as file:
        file.write(sysconfig.get_path("purelib") + "\\n")
`;

/** Installs the wheels of a .wheelhouse.zip, which needs no index. */
export const installWheelhouseScript = `
import glob, os, subprocess, sys, tempfile, zipfile
with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(sys.argv[1]) as archive:
        archive.extractall(folder)
    wheels = glob.glob(os.path.join(folder, "**", "*.whl"), recursive=True)
    if not wheels:
        sys.exit("There is no wheel in " + sys.argv[1])
    sys.exit(subprocess.call([sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-index", "--find-links", folder] + wheels))
`;

/** install.packages only warns where a package cannot be had, so it is looked for afterwards. */
export const installCranScript = 'args <- commandArgs(TRUE); .libPaths(c(args[1], .libPaths())); install.packages(args[2], lib = args[1], repos = args[3]); '
  + 'if (!requireNamespace(args[2], quietly = TRUE)) stop(paste("The package", args[2], "was not installed"))';
