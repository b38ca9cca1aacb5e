import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.ts'
import type { Component } from './components.ts'
import { bringNode } from './node-binary.ts'
import type { Platform } from './platforms.ts'
import type { TarEntry } from './tar.ts'

/** The files that go with every program. The licence of Node is the same for all platforms. */
export async function readLicences(
  platform: Platform,
  components: readonly Component[],
): Promise<readonly TarEntry[]> {
  const nodeLicence = readFileSync(join(await bringNode(platform), 'LICENSE'), 'utf8')
  return [
    { path: 'LICENSE', content: readFileSync(join(root, 'LICENSE')) },
    { path: 'NOTICES', content: Buffer.from(renderNotices(components, nodeLicence)) },
  ]
}

/** The licence texts of what is inside, which their licences ask to be passed on. */
function renderNotices(components: readonly Component[], nodeLicence: string): string {
  const parts = components.map(({ name, version, licence, folder }) =>
    [`${name} ${version} (${licence})`, '', licenceText(join(root, folder)) ?? `Licence: ${licence}`].join(
      '\n',
    ),
  )
  return [
    'Strata contains the following software made by others.',
    ...parts,
    `Node.js (in the executables and the container image)\n\n${nodeLicence}`,
  ]
    .map((part) => `${part.trimEnd()}\n`)
    .join(`\n${'='.repeat(80)}\n\n`)
}

function licenceText(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.\w+)?$/i.test(name))
  return file && readFileSync(join(folder, file), 'utf8')
}
