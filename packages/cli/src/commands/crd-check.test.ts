import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { runCommand } from './stub-server-for-test.ts'

interface Version {
  readonly name: string
  readonly storage?: boolean
  readonly required?: readonly string[]
}

function crdText(...versions: readonly Version[]): string {
  const all = versions.map(({ name, storage = false, required = [] }) => ({
    ...{ name, served: true, storage },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { color: { type: 'string' } }, required } },
      },
    },
  }))
  const names = { plural: 'lamps', kind: 'Lamp' }
  return JSON.stringify(
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'lamps.example.dev' },
      spec: { group: 'example.dev', names, scope: 'Namespaced', versions: all },
    },
    undefined,
    1,
  )
}

const old = crdText({ name: 'v1beta1', storage: true }, { name: 'v1' })
const releases = {
  old,
  good: crdText({ name: 'v1beta1' }, { name: 'v1', storage: true }),
  strict: crdText({ name: 'v1beta1', required: ['color'] }, { name: 'v1', storage: true }),
  early: crdText({ name: 'v1beta1' }, { name: 'v1' }, { name: 'v2', storage: true }),
  gone: crdText({ name: 'v1', storage: true }),
}

async function stage(t: TestContext) {
  const path = await mkdtemp(join(tmpdir(), 'strata-crd-check-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(releases)) {
    await mkdir(join(path, name))
    await writeFile(join(path, name, 'crd.json'), text)
  }
  return async (newest: string, ...flags: string[]) => {
    const { ended, output } = runCommand(['crd', 'check', join(path, 'old'), join(path, newest), ...flags])
    return { code: await ended, output: output() }
  }
}

test('crd check: the exit code says whether every cluster takes the release, and can go back', async (t) => {
  const check = await stage(t)
  const rows: readonly [newest: string, flags: string[], code: number, says: RegExp][] = [
    [
      'good',
      [],
      0,
      /^1 CRD from old to good: every cluster born at old or later accepts the new files, and can go back\.$/m,
    ],
    ['strict', [], 0, /spec\.color in v1beta1.*: it is required now \(compared with old\)/],
    ['strict', ['--strict'], 1, /WARNINGS/],
    ['early', [], 1, /no way back to old: objects are stored in v2 then, which it does not have/],
    ['early', ['--allow-rollback-break'], 0, /1 without a way back \(allowed\)/],
    ['gone', [], 1, /clusters old \(stored versions v1beta1\) refuse gone: .*status\.storedVersions\[0\]/],
  ]
  for (const [newest, flags, want, says] of rows) {
    const { code, output } = await check(newest, ...flags)
    assert.match(output, says, newest)
    assert.equal(code, want, `${newest} ${flags}`)
  }
})

test('crd check: every form of output has the refusal, with its file and line', async (t) => {
  const check = await stage(t)
  const outputIn = async (form: string): Promise<string> => {
    const { code, output } = await check('gone', '-o', form)
    assert.equal(code, 1, form)
    return output
  }
  const line = releases.gone.split('\n').findIndex((each) => each.includes('"versions"')) + 1
  assert.match(
    await outputIn('github'),
    new RegExp(`^::error file=.*/gone/crd\\.json,line=${line},title=`, 'm'),
  )
  const [finding] = JSON.parse(await outputIn('gitlab'))
  assert.deepEqual([finding.severity, finding.location.lines], ['critical', { begin: line }])
  const { runs } = JSON.parse(await outputIn('sarif'))
  assert.equal(runs[0].results[0].locations[0].physicalLocation.region.startLine, line)
  assert.match(await outputIn('junit'), /<failure message="clusters old .* type="refused">/)
  assert.match(await outputIn('markdown'), /^\| lamps\.example\.dev \| REFUSED \|/m)
  for (const document of [JSON.parse(await outputIn('json')), parse(await outputIn('yaml'))]) {
    assert.equal(document.isAccepted, false)
    const [refusal] = document.crds[0].refusals
    assert.deepEqual([refusal.path, refusal.gone, refusal.line], ['old', ['v1beta1'], line])
    assert.equal(refusal.steps.length, refusal.texts.length)
  }
})
