import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { exitCodes } from '@strata/cli/command-parts-for-test'
import { exitCodesPage, readCommandHelps, renderExitCodesPage } from './exit-codes-page.ts'

const helps = await readCommandHelps()

test('docs/reference/exit-codes.md is what the commands say (node tools/exit-codes-page.ts writes it)', async () => {
  assert.equal(readFileSync(exitCodesPage, 'utf8'), await renderExitCodesPage())
})

const known: ReadonlySet<number> = new Set(Object.values(exitCodes))
for (const { name, help, codes, ungrouped, acts } of helps) {
  if (!acts) continue
  test(`${name} --help: examples, exit codes, and a group for each flag`, () => {
    assert.match(help, /^Examples:\n(?:\s*(?:#.*)?\n)*\s*\$ strata /m)
    assert.ok(help.includes(`$ ${name}`), 'an example of this very command')
    assert.ok(codes.some(({ code }) => code === 0))
    for (const { code } of codes) assert.ok(known.has(code), `${code} is one of output/exit-codes.ts`)
    assert.deepEqual(ungrouped, [])
  })
}
