import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Install commands by program and system. Debian's are also Ubuntu's. */
const INSTALL = {
  node: {
    debian: "sudo apt-get install nodejs npm",
    fedora: "sudo dnf install nodejs npm",
    macos: "brew install node",
  },
  java: {
    debian: "sudo apt-get install default-jdk-headless",
    fedora: "sudo dnf install java-21-openjdk-devel",
    macos: "brew install openjdk@21",
  },
  maven: { debian: "sudo apt-get install maven", fedora: "sudo dnf install maven", macos: "brew install maven" },
  python: {
    debian: "sudo apt-get install python3 python3-venv",
    fedora: "sudo dnf install python3",
    macos: "brew install python",
  },
  make: { debian: "sudo apt-get install make", fedora: "sudo dnf install make", macos: "xcode-select --install" },
  terraform: {
    debian: "curl -fsSL https://get.opentofu.org/install-opentofu.sh | sh -s -- --install-method deb",
    fedora: "sudo dnf install opentofu",
    macos: "brew install opentofu",
  },
} as const;

export type Tool = keyof typeof INSTALL;
/** A system with a package manager of its own. */
export type System = keyof (typeof INSTALL)[Tool];

const NAMES: Readonly<Record<System, string>> = { debian: "Debian, Ubuntu", fedora: "Fedora", macos: "macOS" };

/** Returns the commands that install a program: that of this system, or of each known one, with its name. */
export function commandsFor(
  tool: Tool,
  system: System | undefined = systemOf(process.platform, osRelease()),
): string[] {
  if (system !== undefined) return [INSTALL[tool][system]];
  return (Object.keys(NAMES) as System[]).map((name) => `${NAMES[name]}: ${INSTALL[tool][name]}`);
}

/** Returns the system with this platform of Node.js and this text of /etc/os-release; undefined for an unknown one. */
export function systemOf(platform: string, release: string): System | undefined {
  if (platform === "darwin") return "macos";
  const [, family = ""] = /^ID(?:_LIKE)?=.*\b(debian|ubuntu|fedora|rhel)\b/m.exec(release) ?? [];
  if (family === "") return undefined;
  return family === "debian" || family === "ubuntu" ? "debian" : "fedora";
}

function osRelease(): string {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}

/** Returns whether a program can be started by its name. */
export function isOnPath(name: string, path = process.env.PATH ?? ""): boolean {
  const places = name.includes("/") ? [name] : path.split(delimiter).map((folder) => join(folder, name));
  return places.some((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}
