import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loadFleetContexts } from './fleet/fleet-contexts.ts'
import { kubeconfigSource, loadAccess } from './kubeconfig.ts'

const good = `
current-context: a
contexts: [{ name: a, context: { cluster: c, user: u } }, { name: b, context: { cluster: none } }]
clusters: [{ name: c, cluster: { server: 'https://h:1', certificate-authority: gone.crt } }]
users: [{ name: u, user: { token: t } }]
`

const alone = (path: string) => ({ paths: [path], isMerged: false })

describe('kubeconfig', () => {
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-kubeconfig-'))
  })
  after(() => rm(home, { recursive: true, force: true }))

  const mistakes: readonly [name: string, text: string, context: string | undefined, message: RegExp][] = [
    ['something that is not YAML', 'a: [', undefined, /\/file: not YAML: .+[^:]$/],
    ['YAML that is not a kubeconfig', 'a: 1', undefined, /\/file: not a kubeconfig: it has no contexts$/],
    ['a word', 'hello', undefined, /\/file: not a kubeconfig/],
    ['an empty file', '', undefined, /\/file: not a kubeconfig/],
    ['a context that it has not', good, 'z', /\/file: no context "z"; it has: a, b$/],
    [
      'a server that is not an address',
      good.replace('https://h:1', 'h:1'),
      'a',
      /clusters\[c\]\.cluster\.server: "h:1" is not an address; write https:\/\/host:port$/,
    ],
    ['a context without a cluster', good, 'b', /\/file: clusters\[none\]\.cluster\.server is missing$/],
    [
      'an authority where none is to be asked',
      good.replace(
        'certificate-authority: gone.crt',
        'certificate-authority-data: WA==, insecure-skip-tls-verify: true',
      ),
      'a',
      /\/file: clusters\[c\]\.cluster: specifying a root certificates file with the insecure flag is not allowed; /,
    ],
    [
      'a string instead of a boolean',
      good.replace('certificate-authority: gone.crt', "insecure-skip-tls-verify: 'yes'"),
      'a',
      /clusters\[c\]\.cluster\.insecure-skip-tls-verify: "yes" is not a boolean; write true or false$/,
    ],
    [
      'a certificate that is not there',
      good,
      'a',
      /certificate-authority .*gone\.crt cannot be read \(ENOENT\)$/,
    ],
  ]
  for (const [name, text, context, message] of mistakes) {
    test(`${name} is named with its file, in one line`, async () => {
      const file = join(home, 'file')
      await writeFile(file, text)
      await assert.rejects(loadAccess(alone(file), context), { name: 'CliError', message })
    })
  }

  const cluster = (name: string, authority?: string): object => ({
    name,
    cluster: { server: `https://${name}`, ...(authority ? { 'certificate-authority-data': authority } : {}) },
  })
  const config = (current: string): string =>
    JSON.stringify({
      'current-context': current,
      clusters: [
        ...[cluster('a', 'X'), cluster('b', 'X'), cluster('c', 'Y'), cluster('d'), cluster('e')],
        ...[cluster('proxy/one', 'X'), cluster('proxy/two', 'X')],
      ],
      users: [
        { name: 'u', user: {} },
        { name: 'login', user: { exec: { command: 'company-login' } } },
      ],
      contexts: [
        ...['a', 'b', 'c', 'd', 'e', 'proxy/one', 'proxy/two'].map((name) => ({
          name,
          context: { cluster: name, user: 'u' },
        })),
        { name: 'b as another', context: { cluster: 'b', user: 'other' } },
        { name: 'a by login', context: { cluster: 'a', user: 'login' } },
        { name: 'b by login', context: { cluster: 'b', user: 'login' } },
      ],
    })
  const fleets: readonly [name: string, current: string, want: readonly string[]][] = [
    ['the current context comes first, and then those of the same authority and user', 'b', ['b', 'a']],
    ['another authority is another fleet', 'c', ['c']],
    ['behind one proxy, another path is another cluster', 'proxy/one', ['proxy/one']],
    ['one login serves many clusters of a company', 'a by login', ['a by login']],
    ['without an authority nothing says that two servers belong together', 'd', ['d']],
    ['without a current context there is none to begin with', '', []],
  ]
  for (const [name, current, want] of fleets) {
    test(`servers of a fleet: ${name}`, async () => {
      const file = join(home, 'fleet')
      await writeFile(file, config(current))
      assert.deepEqual(await loadFleetContexts(alone(file)), want)
    })
  }

  /** Each server writes one of its own, with the same authority and user. */
  async function several(): Promise<{ readonly KUBECONFIG: string }> {
    const write = async (name: string, authority: object): Promise<string> => {
      await mkdir(join(home, name), { recursive: true })
      await writeFile(join(home, name, 'ca.crt'), `authority of ${name}`)
      const text = JSON.stringify({
        'current-context': name,
        clusters: [{ name, cluster: { server: `https://${name}`, ...authority } }],
        users: [{ name: 'admin', user: { token: 't' } }],
        contexts: [{ name, context: { cluster: name, user: 'admin' } }],
      })
      await writeFile(join(home, name, 'config'), text)
      return join(home, name, 'config')
    }
    const same = { 'certificate-authority-data': 'WA==' }
    const files = [
      await write('one', same),
      join(home, 'gone'),
      await write('two', same),
      await write('elsewhere', { 'certificate-authority': 'ca.crt' }),
      await write('elsewhere too', { 'certificate-authority': 'ca.crt' }),
    ]
    return { KUBECONFIG: files.join(':') }
  }

  test('$KUBECONFIG of several files: all that are there are read, and the servers of one fleet are found', async () => {
    const source = kubeconfigSource(undefined, await several())
    assert.deepEqual(await loadFleetContexts(source), ['one', 'two'])
    assert.equal((await loadAccess(source)).server, 'https://one')
    const { server, token, ca } = await loadAccess(source, 'elsewhere')
    assert.deepEqual([server, token, String(ca)], ['https://elsewhere', 't', 'authority of elsewhere'])
  })

  test('$KUBECONFIG of several files: authorities of one name beside different files are different fleets', async () => {
    const [last = '', before = ''] = (await several()).KUBECONFIG.split(':').toReversed()
    const source = kubeconfigSource(undefined, { KUBECONFIG: `${before}:${last}` })
    assert.deepEqual(await loadFleetContexts(source), ['elsewhere'])
  })

  test('$KUBECONFIG of several files: a missing context is reported with all of them, a broken file with its own path', async () => {
    const { KUBECONFIG } = await several()
    const read = KUBECONFIG.split(':').filter((path) => !path.endsWith('gone'))
    await assert.rejects(loadAccess(kubeconfigSource(undefined, { KUBECONFIG }), 'z'), {
      message: `${read.join(', ')}: no context "z"; it has: one, two, elsewhere, elsewhere too`,
    })
    const broken = join(home, 'broken')
    await writeFile(broken, 'a: [')
    await assert.rejects(loadAccess(kubeconfigSource(undefined, { KUBECONFIG: `${KUBECONFIG}:${broken}` })), {
      message: /^[^:]*\/broken: not YAML: /,
    })
  })

  const sources: readonly [name: string, flag: string | undefined, variable: string, want: object][] = [
    ['a flag names one file', 'f:g', 'a:b', { paths: ['f:g'], isMerged: false, namedBy: '--kubeconfig' }],
    [
      'the variable names several, each once',
      undefined,
      'a::b:a',
      { paths: ['a', 'b'], isMerged: true, namedBy: 'KUBECONFIG' },
    ],
  ]
  for (const [name, flag, variable, want] of sources) {
    test(`where a kubeconfig is looked for: ${name}`, () =>
      assert.deepEqual(kubeconfigSource(flag, { KUBECONFIG: variable }), want))
  }

  test('where a kubeconfig is looked for: a name without a file is an error that names the flag or the variable', async () => {
    await assert.rejects(loadAccess(kubeconfigSource('/gone', {})), {
      message: '--kubeconfig /gone: there is no such file',
    })
    await assert.rejects(loadAccess(kubeconfigSource(undefined, { KUBECONFIG: '/gone:/lost' })), {
      message: 'KUBECONFIG /gone, /lost: there is no such file',
    })
  })

  test('where a kubeconfig is looked for: the local fleet is not merged with what is at home', () => {
    const { paths, isMerged } = kubeconfigSource(undefined, {})
    assert.deepEqual([paths[0], isMerged], [join('.strata', 'local', 'admin.kubeconfig'), false])
  })

  test('a plugin is told the certificates of the authority, also where the kubeconfig names a file', async () => {
    const exec = `{ apiVersion: client.authentication.k8s.io/v1, command: login, provideClusterInfo: true }`
    const path = join(home, 'plugin')
    await writeFile(join(home, 'ca.crt'), 'X')
    await writeFile(path, good.replace('gone.crt', 'ca.crt').replace('token: t', `exec: ${exec}`))
    const { exec: plugin } = await loadAccess(alone(path))
    assert.deepEqual(plugin?.cluster, {
      server: 'https://h:1',
      'certificate-authority-data': Buffer.from('X').toString('base64'),
    })
  })
})
