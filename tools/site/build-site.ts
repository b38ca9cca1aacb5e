import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { listFiles, root } from '../repository.ts'
import type { SourceFile } from '../tidy/source.ts'
import { problemsOf } from './check-output.ts'
import { type Repository, siteSource } from './pages.ts'
import { sidebarOf } from './sidebar.ts'

const home = import.meta.dirname
export const vitepress: string = join(home, 'node_modules/vitepress/bin/vitepress.js')

export interface SiteOptions {
  /** Where the site goes. Emptied first. */
  readonly out: string
  /** Where its source is put together. Emptied first. */
  readonly work: string
  /** The path under which it will be served. */
  readonly base: string
}

/** Builds the site and checks it. Returns what is wrong with it. */
export async function buildSite(options: SiteOptions): Promise<readonly string[]> {
  writeSource(options)
  await promisify(execFile)(process.execPath, [vitepress, 'build', options.work], {
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 64 << 20,
  }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`vitepress failed\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  })
  const files = filesBelow(options.out)
  const pages = files
    .filter((path) => path.endsWith('.html'))
    .map((path) => ({ path, text: withoutBase(readFileSync(join(options.out, path), 'utf8'), options.base) }))
  return problemsOf(pages, new Set(files))
}

function writeSource({ out, work, base }: SiteOptions): void {
  for (const folder of [out, work]) rmSync(folder, { recursive: true, force: true })
  const documents = listFiles()
    .filter((path) => path.endsWith('.md'))
    .map((path): SourceFile => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const { pages, pictures } = siteSource(documents, repository)
  for (const { path, text } of pages) write(join(work, path), text)
  for (const path of pictures) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    cpSync(join(root, path), join(work, path))
  }
  // Pages are compiled to modules, which find their library from here.
  symlinkSync(join(home, 'node_modules'), join(work, 'node_modules'))
  const settings = {
    title: 'Strata',
    description:
      'A Kubernetes-compatible API server that keeps stored objects readable through every upgrade.',
    base,
    outDir: out,
    themeConfig: {
      search: { provider: 'local' },
      outline: { level: [2, 3] },
      nav: [
        { text: 'Install', link: '/docs/install' },
        { text: 'Getting started', link: '/docs/getting-started' },
        { text: 'All pages', link: '/docs/' },
      ],
      sidebar: sidebarOf(readFileSync(join(root, 'docs/README.md'), 'utf8')),
    },
  }
  write(join(work, '.vitepress/config.mjs'), configOf(settings))
}

/** Headings are named as on GitHub, where the same pages are read. */
const configOf = (
  settings: object,
): string => `import { slugOf } from ${JSON.stringify(join(root, 'tools/tidy/links.ts'))}
export default {
  ...${JSON.stringify(settings)},
  markdown: { html: false, anchor: { slugify: slugOf }, headers: { slugify: slugOf }, toc: { slugify: slugOf } },
}
`

const repository: Repository = {
  read: (path) => readFileSync(join(root, path), 'utf8'),
  list: (path) =>
    statSync(join(root, path)).isDirectory() ? readdirSync(join(root, path)).sort() : undefined,
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

const withoutBase = (html: string, base: string): string => html.replaceAll(`="${base}`, '="/')

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
