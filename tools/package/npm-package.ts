import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REQUIRED_MAJOR } from '../../packages/cli/bin/pinned-node.mjs'
import { bundleCommand } from '../bundle-command.ts'
import { publishedReadme } from '../published-readme.ts'
import { root } from '../repository.ts'
import { filesBelow, writeArchive } from './archives.ts'
import type { TarEntry } from './tar.ts'

/** The package.json of the command as one package that needs no other. */
const commandManifest = (version: string): Readonly<Record<string, unknown>> => ({
  name: 'strata',
  version,
  description: 'Keeps stored API objects readable through every upgrade and every rollback.',
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: `>=${REQUIRED_MAJOR}` },
  // npm only warns of a Node that is too old; bin/strata.mjs says what to install instead.
  bin: {
    ...{ strata: 'bin/strata.mjs', 'kubectl-strata': 'bin/strata.mjs' },
    'kubectl_complete-strata': 'bin/kubectl_complete-strata',
  },
  files: ['bin', 'dist', 'NOTICES'],
})

/** The archive that npm installs. `work` is a folder for what is made on the way. */
export async function packForNpm(
  version: string,
  work: string,
  licences: readonly TarEntry[],
): Promise<Buffer> {
  const main = join(work, 'main.js')
  await bundleCommand(main, REQUIRED_MAJOR)
  const readme = readFileSync(join(root, 'packages/cli/README.md'), 'utf8')
  const manifest = `${JSON.stringify(commandManifest(version), undefined, 2)}\n`
  return writeArchive([
    { path: 'package/package.json', content: Buffer.from(manifest) },
    { path: 'package/README.md', content: Buffer.from(publishedReadme('cli', readme)) },
    { path: 'package/dist/main.js', content: readFileSync(main) },
    ...licences.map((each) => ({ ...each, path: `package/${each.path}` })),
    ...filesBelow(join(root, 'packages/cli/bin'), 'package/bin'),
  ])
}
