// Bundles the page into dist/; with --tests its unit tests and the emulated headset into build/.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const MOST_COMPRESSED = 1.5e6; // bytes of all files together, as gzip sends them
const common = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" };

async function buildPage() {
  rmSync("dist", { recursive: true, force: true });
  mkdirSync("dist", { recursive: true });
  await esbuild.build({
    ...common,
    entryPoints: ["src/main.ts", "src/style.css"],
    outdir: "dist",
    splitting: true,
    minify: true,
    chunkNames: "chunk-[hash]",
    legalComments: "linked",
  });
  cpSync("src/index.html", "dist/index.html");
  cpSync("src/icon.svg", "dist/icon.svg");
  const sizes = readdirSync("dist").map((name) => {
    const bytes = readFileSync(`dist/${name}`);
    return { plain: bytes.length, gzip: gzipSync(bytes).length, brotli: brotliCompressSync(bytes).length };
  });
  const total = (key) => sizes.reduce((sum, size) => sum + size[key], 0);
  const told = ["plain", "gzip", "brotli"].map((key) => `${Math.round(total(key) / 1e3)} KB ${key}`);
  console.log(`page: ${told.join(", ")}`);
  if (total("gzip") > MOST_COMPRESSED) throw new Error(`the page is above ${MOST_COMPRESSED} bytes`);
}

async function buildTests() {
  rmSync("build/test", { recursive: true, force: true });
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await esbuild.build({
    ...common,
    platform: "node",
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: "build/test",
    outExtension: { ".js": ".mjs" },
  });
}

async function buildHeadset() {
  await esbuild.build({
    ...common,
    format: "iife",
    minify: true,
    entryPoints: ["test/headset.ts"],
    outdir: "build",
  });
}

if (process.argv.includes("--tests")) await buildTests();
else {
  await buildPage();
  mkdirSync("build", { recursive: true });
  await buildHeadset();
}
