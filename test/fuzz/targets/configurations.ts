import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAccess } from '@strata/cli/kubeconfig'
import { UnusableConfiguration, understandConfiguration } from '@strata/server/readers'
import { chance, integer, pick, type Random } from '@strata/world'
import { stringify } from 'yaml'
import { jsonValue, mutateJson } from '../generate/json.ts'
import { mutateText } from '../generate/mutate-text.ts'
import { listOf, name, text } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'

const secret = (random: Random): string =>
  Buffer.from(random.bytes(chance(random, 0.95) ? 32 : 31)).toString('base64')

/** At least one. */
const someOf = <T>(random: Random, make: (random: Random) => T): T[] => [
  make(random),
  ...listOf(random, 1, make),
]

const keyed = (random: Random): unknown => ({
  keys: someOf(random, (each) => ({ name: name(each), secret: secret(each) })),
})

function provider(random: Random): unknown {
  switch (integer(random, 5)) {
    case 0:
      return { identity: {} }
    case 1:
      return { aescbc: keyed(random) }
    case 2:
      return { aesgcm: keyed(random) }
    case 3:
      return { secretbox: keyed(random) }
    default:
      return {
        kms: { apiVersion: 'v2', name: name(random), endpoint: 'unix:///tmp/kms.sock', timeout: '3s' },
      }
  }
}

const encryptionFile = (random: Random): unknown => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: someOf(random, (rule) => ({
    resources: [
      chance(rule, 0.9) ? `${name(rule)}.example.com` : pick(rule, ['secrets', '*.*', '*.', text(rule)]),
    ],
    providers: someOf(rule, provider),
  })),
})

/** The file as text, damaged in its values or in its letters, or neither. */
function fileText(random: Random, make: (random: Random) => unknown): string {
  const value = make(random)
  const damaged = chance(random, 0.5) ? mutateJson(random, value, () => jsonValue(random, 2)) : value
  const written = chance(random, 0.5) ? stringify(damaged) : JSON.stringify(damaged)
  return chance(random, 0.3) ? mutateText(random, written, stringify(make(random))) : written
}

export const encryptionConfiguration = pureTarget<{ readonly text: string }>({
  name: 'encryption-configuration',
  about:
    'EncryptionConfigurations: accepted ones have keys of the right length, and no secret is in a message',
  share: 6,
  open: () => ({
    generate: (random) => ({ text: fileText(random, encryptionFile) }),
    check: async ({ text: file }) => {
      const secrets = [...file.matchAll(/\bsecret"?: ?"?([A-Za-z0-9+/]{20,}=+)/g)].map(
        ([, each = '']) => each,
      )
      try {
        const { configuration } = await understandConfiguration(Buffer.from(file), () => false)
        for (const { resources, providers } of configuration.rules) {
          expect(
            resources.length > 0 && providers.length > 0,
            () => `a rule without content: ${shown(resources)}`,
          )
          for (const each of providers) {
            const keys = 'keys' in each ? each.keys : []
            const lengths = each.kind === 'secretbox' ? [32] : [16, 24, 32]
            expect(
              keys.every((key) => key.name !== '' && lengths.includes(key.secret.length)),
              () => `${each.kind} with a key of another length`,
            )
          }
        }
        return 'accepted'
      } catch (error) {
        if (!(error instanceof UnusableConfiguration)) throw error
        const leaked = secrets.find((each) => error.message.includes(each))
        expect(leaked === undefined, () => `the message contains the secret: ${error.message}`)
        return 'refused'
      }
    },
  }),
})

/** Few, so that contexts mostly find their cluster and user. */
const label = (random: Random): string => pick(random, ['a', 'b'])

const user = (random: Random): unknown => {
  const plugin = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'aws',
    args: listOf(random, 2, text),
    env: listOf(random, 2, (each) => ({ name: name(each), value: text(each) })),
  }
  const users: [unknown, ...unknown[]] = [
    { token: name(random) },
    { exec: plugin },
    { 'client-key-data': 'YQ==' },
  ]
  return pick(random, users)
}

const kubeconfigFile = (random: Random): unknown => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': label(random),
  contexts: listOf(random, 4, (each) => ({
    name: label(each),
    context: { cluster: label(each), user: label(each) },
  })),
  clusters: listOf(random, 4, (each) => ({
    name: label(each),
    cluster: {
      server: pick(each, ['https://127.0.0.1:6443', 'https://[::1]:1', 'https://a', text(each)]),
      ...(chance(each, 0.3)
        ? { 'insecure-skip-tls-verify': true }
        : { 'certificate-authority-data': 'YQ==' }),
    },
  })),
  users: listOf(random, 4, (each) => ({ name: label(each), user: user(each) })),
})

export const kubeconfig = pureTarget<{ readonly text: string }>({
  name: 'kubeconfig',
  about: 'kubeconfigs: a server address, or an error that says what to do',
  share: 4,
  open: () => {
    const directory = mkdtempSync(join(tmpdir(), 'strata-fuzz-'))
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
    const path = join(directory, 'config')
    return {
      // A file is named by a kubeconfig too, and only those of this folder may be read.
      generate: (random) => ({ text: fileText(random, kubeconfigFile).replaceAll(/\/dev|\/proc/g, 'x') }),
      check: async ({ text: file }) => {
        writeFileSync(path, file)
        try {
          const { server } = await loadAccess({ paths: [path], isMerged: false })
          expect(/^https?:$/.test(new URL(server).protocol), () => `server ${shown(server)}`)
          return 'accepted'
        } catch (error) {
          if ((error as Error).name === 'CliError') return 'refused'
          throw error
        }
      },
    }
  },
})
