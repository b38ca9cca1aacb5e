import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { root } from './repository.ts'

/** Old enough for an old Node to read the file as far as the line that says that it is too old. */
const SYNTAX = 'node18'

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: SYNTAX,
  logLevel: 'warning',
} satisfies BuildOptions

/** Puts the whole command into one file, with the code of its thread in it as text. */
export async function bundleCommand(outfile: string, requiredMajor: number): Promise<void> {
  await build({
    ...options,
    entryPoints: [join(root, 'packages/cli/src/main.ts')],
    outfile,
    format: 'esm',
    sourcemap: 'linked',
    banner: { js: beginning(requiredMajor) },
    plugins: [builtinsWhenRun, threadAsText(await bundleThread())],
  })
}

// CommonJS among the dependencies asks for built-in modules with require, which ESM does not have.
const beginning = (requiredMajor: number): string => `#!/usr/bin/env node
import { createRequire } from 'node:module'
if (Number.parseInt(process.versions.node, 10) < ${requiredMajor}) {
  process.stderr.write(\`strata needs Node ${requiredMajor} or newer; this is \${process.version}\\n\`)
  process.exit(1)
}
const require = createRequire(import.meta.url)
`

/**
 * Built-in modules are asked for when the code runs, and not by import: imports are resolved before the first
 * line runs, so that an older Node would complain of node:sqlite and never get to say what is wrong.
 */
const builtinsWhenRun: Plugin = {
  name: 'built-in modules when run',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /./ }, ({ path, kind, namespace }) =>
      isBuiltin(path) && kind !== 'entry-point' && namespace !== 'builtin'
        ? { path, namespace: 'builtin' }
        : undefined,
    )
    onResolve({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

async function bundleThread(): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [join(root, 'packages/server/src/store/sqlite/sqlite-writer.ts')],
    // What a thread is given as text is CommonJS to Node.
    format: 'cjs',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/** Takes the place of start-writer.ts, which finds the code of the thread beside itself. */
const threadAsText = (source: string): Plugin => ({
  name: 'thread as text',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]sqlite[/\\]start-writer\.ts$/ }, () => ({
      contents: `import { Worker } from 'node:worker_threads'
        const source = ${JSON.stringify(source)}
        export const startWriter = (options) =>
          new Worker(source, { eval: true, workerData: options, name: 'sqlite writer' })`,
    }))
  },
})
