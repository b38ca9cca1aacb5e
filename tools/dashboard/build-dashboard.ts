import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { PackedAssets } from '@strata/cli/dashboard-assets'
import { type BuildResult, build } from 'esbuild'
import { root } from '../repository.ts'

/** The files of the dashboard, and what they were made from: paths below the root. */
export interface BuiltDashboard {
  readonly assets: PackedAssets
  readonly inputs: readonly string[]
}

const PAGE = 'packages/dashboard/src/index.html'
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Bundles the page for browsers: hashed, minified files and the index.html that names them. */
export async function buildDashboard(): Promise<BuiltDashboard> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['packages/dashboard/src/main.tsx'],
    // Never written here: esbuild wants to know where the files would be.
    outdir: join(root, '.strata', 'dashboard', 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    // What Chromium 123, Firefox 128 and Safari 17.5 know.
    target: ['es2023', 'chrome123', 'firefox128', 'safari17.5'],
    minify: true,
    legalComments: 'none',
    loader: { '.svg': 'dataurl' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  const files = result.outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
  const page = nameFiles(readFileSync(join(root, PAGE), 'utf8'), filesOfThePage(result))
  const assets = await Promise.all([
    pack('index.html', 'text/html; charset=utf-8', Buffer.from(page)),
    ...files.map(({ name, contents }) =>
      pack(`assets/${name}`, TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream', contents),
    ),
  ])
  return {
    assets: Object.fromEntries(assets),
    inputs: [PAGE, ...Object.keys(result.metafile.inputs)].sort(),
  }
}

interface PageFiles {
  readonly script: string
  readonly style: string | undefined
  /** What the script imports at once. */
  readonly imported: readonly string[]
}

function filesOfThePage({ metafile }: BuildResult<{ metafile: true }>): PageFiles {
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('/main.tsx'),
  )
  if (entry === undefined) throw new Error('the bundle of the dashboard has no entry')
  const [script, { cssBundle, imports }] = entry
  return {
    script: basename(script),
    style: cssBundle && basename(cssBundle),
    imported: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)),
  }
}

/** Links are absolute: the page also stands at the addresses of its views. */
function nameFiles(page: string, { script, style, imported }: PageFiles): string {
  const at = (name: string): string => `/dashboard/assets/${name}`
  const lines = [
    ...(style === undefined ? [] : [`<link rel="stylesheet" href="${at(style)}">`]),
    ...imported.map((name) => `<link rel="modulepreload" href="${at(name)}">`),
    `<script type="module" src="${at(script)}"></script>`,
  ]
  if (!page.includes('</head>')) throw new Error(`${PAGE} has no </head>`)
  return page.replace('</head>', () => `  ${lines.join('\n    ')}\n  </head>`)
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

async function pack(path: string, type: string, bytes: Uint8Array): Promise<[string, PackedAssets[string]]> {
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  const [brotli, zipped] = await Promise.all([
    compressBrotli(bytes, { params }),
    compressGzip(bytes, { level: 9 }),
  ])
  return [path, { type, brotli: brotli.toString('base64'), gzip: zipped.toString('base64') }]
}
