import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { embedDashboard } from './dashboard/embed.ts'
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

/** Puts the whole command, or another program, into one file, with the code of its threads in it as text. */
export async function bundleCommand(
  outfile: string,
  requiredMajor: number,
  entry = 'packages/cli/src/main.ts',
): Promise<void> {
  await build({
    ...options,
    entryPoints: [join(root, entry)],
    outfile,
    format: 'esm',
    sourcemap: 'linked',
    banner: { js: beginning(requiredMajor) },
    plugins: [builtinsWhenRun, embedDashboard, ...(await Promise.all(threads.map(threadAsText)))],
  })
}

/**
 * The same for the single executable, which has its Node inside. Returns what went into it.
 */
export async function bundleForExecutable(outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    ...options,
    target: 'esnext',
    entryPoints: [join(root, 'packages/cli/src/main.ts')],
    outfile,
    format: 'esm',
    metafile: true,
    // A shorter text starts sooner. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: requireForCommonJs },
    plugins: [
      builtinsWhenRun,
      embedDashboard,
      filesFromOutside,
      ...(await Promise.all(threads.map(threadAsText))),
    ],
  })
  return metafile
}

// CommonJS among the dependencies asks for built-in modules with require, which ESM does not have.
const requireForCommonJs = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
`

const beginning = (requiredMajor: number): string => `#!/usr/bin/env node
import { createRequire } from 'node:module'
if (Number.parseInt(process.versions.node, 10) < ${requiredMajor}) {
  process.stderr.write(\`strata needs Node ${requiredMajor} or newer; this is \${process.version}: install Node ${requiredMajor}, or the strata executable, which needs no Node\\n\`)
  process.exit(1)
}
const require = createRequire(import.meta.url)
`

/** In an executable, `import()` finds only built-in modules; this one has the loader for files. */
const filesFromOutside: Plugin = {
  name: 'files from outside',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/configuration\/import-file\.ts$/ }, () => ({
      contents: `import { pathToFileURL } from 'node:url'
        import { constants, Script } from 'node:vm'
        const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
        export const importFile = (file) =>
          new Script('(href) => import(href)', { importModuleDynamically }).runInThisContext()(pathToFileURL(file).href)`,
    }))
  },
}

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

/** Code that runs in a thread of its own: what starts it finds it beside itself, and has to find it elsewhere here. */
interface Thread {
  /** From the folder of the server's sources: the module whose one function starts the thread, and the thread's own. */
  readonly starter: string
  readonly entry: string
  readonly start: string
  readonly options: string
}

const threads: readonly Thread[] = [
  {
    starter: 'store/sqlite/start-writer.ts',
    entry: 'store/sqlite/sqlite-writer.ts',
    start: 'startWriter',
    options: "name: 'sqlite writer'",
  },
  {
    starter: 'handlers/body/start-yaml-thread.ts',
    entry: 'handlers/body/yaml-thread.ts',
    start: 'startYamlThread',
    options: "name: 'yaml', resourceLimits: { maxOldGenerationSizeMb: 768 }",
  },
]

async function bundleThread(entry: string): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [join(root, 'packages/server/src', entry)],
    // What a thread is given as text is CommonJS to Node.
    format: 'cjs',
    write: false,
    // The thread never starts itself, and there is no place beside a text.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  return outputFiles[0]?.text ?? ''
}

/** Takes the place of the module that starts a thread. */
async function threadAsText({ starter, entry, start, options: more }: Thread): Promise<Plugin> {
  const source = await bundleThread(entry)
  const file = join(root, 'packages/server/src', starter)
  return {
    name: `${start} from text`,
    setup: ({ onLoad }) => {
      onLoad({ filter: new RegExp(`${basename(starter).replace('.', '\\.')}$`) }, ({ path }) =>
        path === file
          ? {
              contents: `import { Worker } from 'node:worker_threads'
        const source = ${JSON.stringify(source)}
        export const ${start} = (options) =>
          new Worker(source, { eval: true, workerData: options, ${more} })`,
            }
          : undefined,
      )
    },
  }
}
