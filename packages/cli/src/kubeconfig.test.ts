import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loadAccess, loadFleetContexts } from './kubeconfig.ts'

const good = `
current-context: a
contexts: [{ name: a, context: { cluster: c, user: u } }, { name: b, context: { cluster: none } }]
clusters: [{ name: c, cluster: { server: 'https://h:1', certificate-authority: gone.crt } }]
users: [{ name: u, user: { token: t } }]
`

describe('kubeconfig', () => {
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-kubeconfig-'))
  })
  after(() => rm(home, { recursive: true, force: true }))

  const mistakes: readonly [name: string, text: string, context: string | undefined, message: RegExp][] = [
    ['something that is not YAML', 'a: [', undefined, /\/file: not YAML: .+$/],
    ['YAML that is no kubeconfig', 'a: 1', undefined, /\/file: not a kubeconfig: it has no contexts$/],
    ['a word', 'hello', undefined, /\/file: not a kubeconfig/],
    ['an empty file', '', undefined, /\/file: not a kubeconfig/],
    ['a context that it has not', good, 'z', /\/file: no context "z"; choose one with --context: a, b$/],
    ['a context without a cluster', good, 'b', /\/file: clusters\[none\]\.cluster\.server is missing$/],
    [
      'a certificate that is not there',
      good,
      'a',
      /certificate-authority gone\.crt cannot be read \(ENOENT\)$/,
    ],
  ]
  for (const [name, text, context, message] of mistakes) {
    test(`${name} is named with its file, in one line`, async () => {
      const file = join(home, 'file')
      await writeFile(file, text)
      await assert.rejects(loadAccess([file], context), { name: 'CliError', message })
    })
  }

  const cluster = (name: string, authority?: string): object => ({
    name,
    cluster: { server: `https://${name}`, ...(authority ? { 'certificate-authority-data': authority } : {}) },
  })
  const config = (current: string): string =>
    JSON.stringify({
      'current-context': current,
      clusters: [cluster('a', 'X'), cluster('b', 'X'), cluster('c', 'Y'), cluster('d'), cluster('e')],
      users: [{ name: 'u', user: {} }],
      contexts: [
        ...['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, context: { cluster: name, user: 'u' } })),
        { name: 'b as another', context: { cluster: 'b', user: 'other' } },
      ],
    })
  const fleets: readonly [name: string, current: string, want: readonly string[]][] = [
    ['the current context comes first, and then those of the same authority and user', 'b', ['b', 'a']],
    ['another authority is another fleet', 'c', ['c']],
    ['without an authority nothing says that two servers belong together', 'd', ['d']],
    ['without a current context there is none to begin with', '', []],
  ]
  for (const [name, current, want] of fleets) {
    test(`servers of a fleet: ${name}`, async () => {
      const file = join(home, 'fleet')
      await writeFile(file, config(current))
      assert.deepEqual(await loadFleetContexts([file]), want)
    })
  }
})
