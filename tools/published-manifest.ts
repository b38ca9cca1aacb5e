import { REQUIRED_MAJOR } from '../packages/cli/bin/pinned-node.mjs'

/** The parts of a package.json that change on the way out; the rest is handed through. */
export interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** In a clone, `exports` lead to the sources; in the published package, to what was built. What is for tests is not published. */
export function publishedManifest({ exports = {}, ...rest }: Manifest): Record<string, unknown> {
  const published = Object.entries(exports).filter(([, source]) => !source.endsWith('-for-test.ts'))
  const built = published.map(([entry, source]) => {
    const stem = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '')
    return [entry, { types: `${stem}.d.ts`, default: `${stem}.js` }]
  })
  return {
    ...rest,
    engines: { node: `>=${REQUIRED_MAJOR}` },
    exports: Object.fromEntries(built),
    files: ['dist', 'bin'],
  }
}
