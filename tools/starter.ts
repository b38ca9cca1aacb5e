// `node tools/starter.ts` writes what `strata init kind` copies, from examples/starter; starter.test.ts compares the two.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './repository.ts'

const source = join(root, 'examples/starter')
export const starterFile = join(root, 'packages/cli/src/init/starter.json')

export function renderStarter(): string {
  const files = readdirSync(source).sort()
  const texts = Object.fromEntries(files.map((name) => [name, readFileSync(join(source, name), 'utf8')]))
  return `${JSON.stringify(texts, undefined, 2)}\n`
}

if (import.meta.main) writeFileSync(starterFile, renderStarter())
