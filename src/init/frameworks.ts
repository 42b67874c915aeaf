/** A language whose project files app-sim knows. */
export type ProjectLanguage = "javascript" | "typescript" | "python" | "go" | "ruby" | "php" | "java";

/** How a web framework is recognized in a project, and its defaults. */
export interface Framework {
  readonly name: string;
  readonly language: Exclude<ProjectLanguage, "typescript">;
  /** Its default port. */
  readonly port: number;
  /** Whether the text of the project's dependencies names it. */
  readonly isNamed: RegExp;
}

/** The files of a project that list its dependencies, for each language. */
export const dependencyFiles: Readonly<Record<Framework["language"], readonly string[]>> = {
  go: ["go.mod"],
  python: ["requirements.txt", "pyproject.toml", "Pipfile", "setup.py"],
  ruby: ["Gemfile"],
  php: ["composer.json"],
  java: ["pom.xml", "build.gradle", "build.gradle.kts"],
  javascript: ["package.json"],
};

const packageNamed = (name: string) => new RegExp(`"${name}"\\s*:`);
const requirementNamed = (name: string) => new RegExp(`(?:^|["'\\s])${name}(?=["'\\s=<>~![;]|$)`, "im");

/** A framework that includes another one comes before it: a Next app may also have Express. */
export const frameworks: readonly Framework[] = [
  { name: "Gin", language: "go", port: 8080, isNamed: /gin-gonic\/gin\b/ },
  { name: "Echo", language: "go", port: 8080, isNamed: /labstack\/echo\b/ },
  { name: "Fiber", language: "go", port: 3000, isNamed: /gofiber\/fiber\b/ },
  { name: "net/http", language: "go", port: 8080, isNamed: /^module /m },
  { name: "Django", language: "python", port: 8000, isNamed: requirementNamed("django") },
  { name: "FastAPI", language: "python", port: 8000, isNamed: requirementNamed("fastapi") },
  { name: "Flask", language: "python", port: 5000, isNamed: requirementNamed("flask") },
  { name: "Rails", language: "ruby", port: 3000, isNamed: /gem ["']rails["']/ },
  { name: "Sinatra", language: "ruby", port: 4567, isNamed: /gem ["']sinatra["']/ },
  { name: "Laravel", language: "php", port: 8000, isNamed: packageNamed("laravel/framework") },
  { name: "Symfony", language: "php", port: 8000, isNamed: packageNamed("symfony/framework-bundle") },
  { name: "Spring Boot", language: "java", port: 8080, isNamed: /spring-boot/ },
  { name: "Next.js", language: "javascript", port: 3000, isNamed: packageNamed("next") },
  { name: "Nuxt", language: "javascript", port: 3000, isNamed: packageNamed("nuxt") },
  { name: "NestJS", language: "javascript", port: 3000, isNamed: packageNamed("@nestjs/core") },
  { name: "Fastify", language: "javascript", port: 3000, isNamed: packageNamed("fastify") },
  { name: "Koa", language: "javascript", port: 3000, isNamed: packageNamed("koa") },
  { name: "Hono", language: "javascript", port: 3000, isNamed: packageNamed("hono") },
  { name: "hapi", language: "javascript", port: 3000, isNamed: packageNamed("@hapi/hapi") },
  { name: "Express", language: "javascript", port: 3000, isNamed: packageNamed("express") },
];

/** Where a framework's port is in a project's files, from certain to likely. */
const portPatterns: readonly RegExp[] = [
  /^\s*(?:export\s+)?(?:PORT|FLASK_RUN_PORT|APP_PORT|SERVER_PORT)\s*=\s*["']?(\d{2,5})\b/m,
  /"(?:start|dev|serve)"\s*:\s*"[^"]*?(?:PORT=|--port[= ]|-p )(\d{2,5})\b/,
  /\bserver\.port\s*[=:]\s*(\d{2,5})\b/,
  /\bPORT\b[^\n]{0,40}?(?:\|\||\?\?|,|else)\s*["']?:?(\d{2,5})\b(?!\.\d)/i,
  /\.listen\(\s*(?:\{[^}]*?\bport\s*:\s*)?(\d{2,5})\b/,
  /\b(?:app|uvicorn)\.run\([^)]*?\bport\s*=\s*(\d{2,5})\b/,
  /\b(?:ListenAndServe|\.Run|\.Start|\.Listen)\w*\(\s*"[^":]*:(\d{2,5})"/,
  /\b(?:port|addr)\b\s*:?=\s*["']?:?(\d{2,5})\b(?!\.\d)/i,
  /^EXPOSE\s+(\d{2,5})\b/m,
];
const HIGHEST_PORT = 65_535;

/** The port that a project's files name, and the file; null if none does. */
export function portNamed(
  files: readonly { readonly name: string; readonly text: string }[],
): { readonly port: number; readonly file: string } | null {
  for (const pattern of portPatterns) {
    for (const { name, text } of files) {
      const port = Number(pattern.exec(text)?.[1]);
      if (port > 0 && port <= HIGHEST_PORT) return { port, file: name };
    }
  }
  return null;
}
