import type { Command } from 'commander'
import { parseEtcdServers } from '../options/etcd-servers.ts'

/** How etcd is reached; the same for all commands that reach it. */
export function addEtcdFlags(command: Command): Command {
  return command
    .option('--etcd-servers <urls>', 'etcd endpoints, separated by commas', parseEtcdServers)
    .option('--etcd-cafile <file>', 'authority that signed the certificates of etcd')
    .option('--etcd-certfile <file>', 'client certificate for etcd')
    .option('--etcd-keyfile <file>', 'key of the client certificate for etcd')
}
