import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { decideCompanyFailures, nameCompany } from './company-failures.ts'
import { root } from './repository.ts'
import type { Failure } from './test-report.ts'

const files = ['a.test.ts', 'b.test.ts', 'c.test.ts']
const bad = (path: string, name = 'bad', line = 1): Failure => ({
  ...{ name, line, text: 'because' },
  file: join(root, path),
})
const process = (name: string): Failure => ({ name, text: '' })
const unloaded = (path: string): Failure => bad('tools/load-together.mjs', path)
const exit = process('the process ended with exit code 1')
const shared = bad('suite.ts')

for (const [what, together, alone, want, name] of [
  ['nothing', [], {}, [], ''],
  ['what fails alone too', [bad('b.test.ts')], { 'b.test.ts': [bad('b.test.ts')] }, [], ''],
  [
    'what fails in company while another fails alone',
    [bad('b.test.ts'), bad('c.test.ts')],
    { 'c.test.ts': [bad('c.test.ts')] },
    [bad('b.test.ts')],
    'b.test.ts only in company with a.test.ts, c.test.ts',
  ],
  [
    'another test of a file that fails alone',
    [bad('b.test.ts'), bad('b.test.ts', 'worse', 2)],
    { 'b.test.ts': [bad('b.test.ts')] },
    [bad('b.test.ts', 'worse', 2)],
    'b.test.ts only in company with a.test.ts, c.test.ts',
  ],
  [
    'two files, each in company',
    [bad('a.test.ts'), bad('b.test.ts')],
    {},
    [bad('a.test.ts'), bad('b.test.ts')],
    'a.test.ts, b.test.ts only in company with c.test.ts',
  ],
  [
    'a suite that two share, of whom one fails alone',
    [shared, shared],
    { 'a.test.ts': [shared] },
    [shared],
    'a.test.ts, b.test.ts, c.test.ts only in company',
  ],
  ['a file that cannot be loaded', [unloaded('b.test.ts')], { 'b.test.ts': [exit] }, [], ''],
  [
    'a file that cannot be loaded in company',
    [unloaded('b.test.ts')],
    { 'b.test.ts': [bad('b.test.ts')], 'c.test.ts': [exit] },
    [unloaded('b.test.ts')],
    'b.test.ts only in company with a.test.ts, c.test.ts',
  ],
  ['a process that ends badly with one of them', [exit], { 'a.test.ts': [exit] }, [], ''],
  [
    'a process that ends badly only with all of them',
    [exit],
    { 'a.test.ts': [bad('a.test.ts')] },
    [exit],
    'a.test.ts, b.test.ts, c.test.ts only in company',
  ],
] satisfies [string, Failure[], Record<string, Failure[]>, Failure[], string][]) {
  test(`failed only in company: ${what}`, () => {
    const { of, failures } = decideCompanyFailures(files, together, new Map(Object.entries(alone)))
    assert.deepEqual(failures, want)
    if (failures.length > 0) assert.equal(nameCompany(of, files), name)
  })
}
