import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { placeText, readCrds } from './index.ts'

function crdText(name: string): string {
  return `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\nspec: {}\n`
}

async function withFiles(
  files: Readonly<Record<string, string>>,
  body: (path: string) => Promise<void>,
): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'strata-crds-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), text)
    }
    await body(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

const files = {
  'b.yaml': `${crdText('b.x.dev')}---\n${crdText('c.x.dev')}`,
  'a.yml': crdText('a.x.dev'),
  'values.yaml': 'name: x\n',
  'template.yaml': '{{ .Values.x }}\n',
  'README.md': crdText('no.x.dev'),
  'more/d.json': JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'd.x.dev' },
    spec: {},
  }),
}

test('read CRDs: files and directories, sorted by name, with their places', () =>
  withFiles(files, async (path) => {
    const namesIn = async (...args: Parameters<typeof readCrds>) =>
      (await readCrds(...args)).map(({ name, place }) => `${name} ${placeText(place).slice(path.length + 1)}`)
    const flat = ['a.x.dev a.yml', 'b.x.dev b.yaml (document 1)', 'c.x.dev b.yaml (document 2)']
    assert.deepEqual(await namesIn([path]), flat)
    assert.deepEqual(await namesIn([path], { recursive: true }), [...flat, 'd.x.dev more/d.json'])
    assert.deepEqual(await namesIn([join(path, 'a.yml')]), ['a.x.dev a.yml'])
  }))

test('read CRDs: errors name the path, and exit as a wrong argument', () =>
  withFiles({ ...files, 'twice/a.yaml': crdText('a.x.dev'), 'none/x.yaml': 'a: 1\n' }, async (path) => {
    const refusal = (message: RegExp) => ({ name: 'CliError', exitCode: 2, message })
    await assert.rejects(
      readCrds([join(path, 'gone.yaml')]),
      refusal(/gone\.yaml: there is no such file or directory$/),
    )
    await assert.rejects(
      readCrds([path, join(path, 'twice')]),
      refusal(/^a\.x\.dev is there twice: in .*a\.yml and in .*twice\/a\.yaml; give one release at a time$/),
    )
    await assert.rejects(
      readCrds([join(path, 'none')]),
      refusal(/none: there is no CustomResourceDefinition in it; -R /),
    )
  }))
