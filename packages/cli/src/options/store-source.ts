import { type Command, Option } from 'commander'
import { givenFlag } from '../migration/resources/given-flags.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { StoreSource } from '../stored/observe-store.ts'
import { parseEtcdServers } from './etcd-servers.ts'

/** The flags of commands that read a store by themselves. */
export interface StoreSourceFlags extends StoreAccessFlags {
  readonly offline: boolean
}

/** Where a store is, and how it is read. */
export interface StoreAccessFlags {
  readonly etcdServers?: readonly string[]
  readonly cacert?: string
  readonly cert?: string
  readonly key?: string
  readonly etcdCafile?: string
  readonly etcdCertfile?: string
  readonly etcdKeyfile?: string
  readonly etcdSnapshot?: string
  readonly etcdPrefix: string
  readonly encryptionProviderConfig?: string
}

const heading = 'Reading the store:'
const rootDefault = '/registry'

const add = (flags: string, help: string): Option => new Option(flags, help).helpGroup(heading)

/** For commands that also work without the cluster. */
export function addStoreSource(command: Command): Command {
  const offline = add('--offline', 'ask no cluster: show only what the store tells').default(false)
  return addStoreAccess(command).addOption(offline)
}

export function addStoreAccess(command: Command): Command {
  const options = [
    add('--etcd-servers <urls>', 'read etcd itself: its endpoints, separated by commas').argParser(
      parseEtcdServers,
    ),
    add('--cacert <file>', 'CA that signed the certificates of etcd, as for etcdctl (or --etcd-cafile)'),
    add('--cert <file>', 'client certificate for etcd, as for etcdctl (or --etcd-certfile)'),
    add('--key <file>', 'private key of that certificate, as for etcdctl (or --etcd-keyfile)'),
    // As kube-apiserver calls them: its flags can be copied from its manifest.
    add('--etcd-cafile <file>', 'the same as --cacert').hideHelp(),
    add('--etcd-certfile <file>', 'the same as --cert').hideHelp(),
    add('--etcd-keyfile <file>', 'the same as --key').hideHelp(),
    add(
      '--etcd-snapshot <file>',
      'read a file of "etcdctl snapshot save", or the db file of a member; no etcd is needed',
    ),
    add('--etcd-prefix <prefix>', 'prefix of the keys, as the servers have it').default(rootDefault),
    add(
      '--encryption-provider-config <file>',
      'the file that the servers have: shows in which version encrypted objects are stored',
    ),
  ]
  for (const option of options) command.addOption(option)
  return command
}

/** The store that the flags name; undefined without any. Flags that contradict each other are refused. */
export function storeSource(flags: StoreAccessFlags): StoreSource | undefined {
  const { etcdServers, etcdSnapshot, etcdPrefix: root, encryptionProviderConfig: keysFile } = flags
  const files = {
    caFile: flags.cacert ?? flags.etcdCafile,
    certFile: flags.cert ?? flags.etcdCertfile,
    keyFile: flags.key ?? flags.etcdKeyfile,
  }
  const refuse = (text: string): CliError => new CliError(text, exitCodes.usage)
  if (etcdServers && etcdSnapshot !== undefined)
    throw refuse('--etcd-servers and --etcd-snapshot are two stores: give one of them')
  const hasFiles = Object.values(files).some((each) => each !== undefined)
  if (!etcdServers && hasFiles)
    throw refuse('--cacert, --cert and --key are for etcd: name its endpoints with --etcd-servers')
  if ((files.certFile === undefined) !== (files.keyFile === undefined))
    throw refuse('--cert and --key belong together: give both')
  if (etcdServers) return { from: { etcd: { endpoints: etcdServers, ...files } }, root, keysFile }
  if (etcdSnapshot !== undefined) return { from: { snapshot: etcdSnapshot }, root, keysFile }
  if (keysFile !== undefined)
    throw refuse(
      '--encryption-provider-config opens stored values: name a store with --etcd-servers or --etcd-snapshot',
    )
  return undefined
}

/** The flags that name a store, to be repeated in a suggested command; undefined without any. */
export function givenStore(flags: StoreAccessFlags): string | undefined {
  if (!flags.etcdServers && flags.etcdSnapshot === undefined) return undefined
  const { etcdServers, etcdSnapshot, etcdPrefix, encryptionProviderConfig } = flags
  const given = {
    '--etcd-servers': etcdServers?.join(','),
    '--cacert': flags.cacert ?? flags.etcdCafile,
    '--cert': flags.cert ?? flags.etcdCertfile,
    '--key': flags.key ?? flags.etcdKeyfile,
    '--etcd-snapshot': etcdSnapshot,
    '--etcd-prefix': etcdPrefix === rootDefault ? undefined : etcdPrefix,
    '--encryption-provider-config': encryptionProviderConfig,
  }
  return Object.entries(given)
    .map(([name, value]) => givenFlag(name, value))
    .join('')
}
