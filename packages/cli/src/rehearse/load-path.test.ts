import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { initPath } from './init-path.ts'
import { playLive } from './live/play-live.ts'
import { loadPath } from './load-path.ts'

const lamps = join(import.meta.dirname, '../../../../examples/lamps')
const examples = join(import.meta.dirname, '../../../../examples/rehearsals')
const kinds = join(import.meta.dirname, '../../../../examples/lighthouse/resources.ts')
const crds = `crds: { v1: ${lamps}/crd-v1.yaml, v2: ${lamps}/crd-v2.yaml }`

const cases: ReadonlyArray<[name: string, text: string, message: RegExp]> = [
  ['no YAML', 'steps: [', /path\.yaml: cannot read it as YAML/],
  [
    'a CRD',
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition',
    /path\.yaml: this is a CRD; --init makes a rehearsal of it/,
  ],
  [
    'a wrong field, with its line',
    `${crds}\nsteps:\n  - release: v1\n  - crash: 7`,
    /path\.yaml:4: steps\[1\]\.crash: is 7/,
  ],
  [
    'a folder that is not there',
    'crds: { v1: nowhere }\nsteps: [{ release: v1 }]',
    /nowhere: there is no such file or directory/,
  ],
  [
    'a module that is not there',
    'resources: none.ts\nsteps: [{ release: x }]',
    /^resources .*none\.ts: there is no such file/,
  ],
  [
    'a release that no kind has',
    `resources: ${kinds}\nsteps:\n  - release: x\n  - upgrade: y`,
    /path\.yaml:4: steps\[1\]\.upgrade: no kind has the release "y"; known: x, x\+1/,
  ],
  [
    'conversions that are not there',
    `${crds}\nconversions: none.ts\nsteps: [{ release: v1 }]`,
    /conversions .*none\.ts: there is no such file/,
  ],
  [
    'conversions without functions',
    `${crds}\nconversions: ${kinds}\nsteps: [{ release: v1 }]`,
    /must export "conversions"/,
  ],
  [
    'objects that are not there',
    `${crds}\nsteps: [{ release: v1, objects: { file: none.yaml } }]`,
    /objects: .*none\.yaml/,
  ],
]
for (const [name, text, message] of cases) {
  test(`rehearse: a file is refused: ${name}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'strata-rehearse-'))
    try {
      const file = join(folder, 'path.yaml')
      await writeFile(file, text)
      await assert.rejects(loadPath(file), (error) => {
        assert.ok(error instanceof CliError)
        assert.equal(error.exitCode, 2)
        assert.match(error.message, message)
        return true
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

test('rehearse --live is refused for servers that it does not run', async () => {
  const { path } = await loadPath(join(examples, 'paused-server-unfenced.yaml'))
  const loaded = { file: 'path.yaml', path, modules: [], lines: [] }
  // It is refused before anything of the context is used.
  await assert.rejects(
    playLive(loaded, {} as CliContext),
    /path\.yaml: server: --live runs servers of Strata/,
  )
})

test('rehearse --init prints a rehearsal that can be played', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'strata-rehearse-'))
  try {
    const file = join(folder, 'path.yaml')
    await writeFile(file, await initPath([`${lamps}/crd-v1.yaml`, `${lamps}/crd-v2.yaml`]))
    const { path, lines } = await loadPath(file)
    assert.deepEqual(
      path.steps.map(({ deed }) => ('to' in deed ? `${deed.do} ${deed.to}` : deed.do)),
      ['release crd-v1', 'upgrade crd-v2', 'rollback crd-v1'],
    )
    assert.equal(lines.length, 3)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
