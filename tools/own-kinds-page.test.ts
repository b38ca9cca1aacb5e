import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './repository.ts'

const page = readFileSync(join(root, 'docs/own-kinds.md'), 'utf8')

/** The names of the fields of an interface, from its source. */
function fieldsOf(file: string, name: string): readonly string[] {
  const source = readFileSync(join(root, 'packages', file), 'utf8')
  const [, body = ''] =
    new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
  return Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, field = '']) => field)
}

const definition = 'api/src/machinery/define-resource.ts'
for (const [file, name] of [
  [definition, 'ResourceOptions'],
  [definition, 'VersionDefinition'],
  [definition, 'ResourceRelease'],
  [definition, 'Strategy'],
  ['server/src/assembly/server-options.ts', 'ServerOptions'],
] as const) {
  test(`docs/own-kinds.md has every field of ${name}`, () => {
    const fields = fieldsOf(file, name)
    assert.notEqual(fields.length, 0)
    assert.deepEqual(
      fields.filter((field) => !page.includes(`\`${field}\``)),
      [],
    )
  })
}
