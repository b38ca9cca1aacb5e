import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Network, type Place, serverNames } from './network.ts'

const run = promisify(execFile)
const ip = (...args: string[]): Promise<unknown> => run('ip', args)

const addresses: Readonly<Record<Place, string>> = {
  clients: '10.77.0.1',
  a: '10.77.0.11',
  b: '10.77.0.12',
  c: '10.77.0.13',
  'etcd-0': '10.77.0.21',
  'etcd-1': '10.77.0.22',
  'etcd-2': '10.77.0.23',
}
const places: readonly Place[] = [...serverNames, 'etcd-0', 'etcd-1', 'etcd-2']
const bridge = 'faults'
/** No interface has it: frames to it arrive nowhere. */
const nowhere = '02:00:00:00:00:99'

/**
 * With root: a network namespace for each place, joined by a bridge. This process itself has to be in namespaces of its own
 * (`private-namespaces.ts`), which the kernel removes with everything in them when the last process has ended.
 *
 * To cut one direction, the sender gets a wrong hardware address for the receiver. Frames leave and are lost, as with
 * a broken switch; neither side sees an error. That needs nothing of the kernel but bridges, unlike iptables and tc.
 */
export async function createNamespaces(): Promise<Network> {
  await ip('link', 'set', 'lo', 'up')
  await ip('link', 'add', bridge, 'type', 'bridge')
  await ip('link', 'set', bridge, 'up')
  await ip('addr', 'add', `${addresses.clients}/24`, 'dev', bridge)
  for (const place of places) {
    await ip('netns', 'add', place)
    await ip('link', 'add', `to-${place}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', place)
    await ip('link', 'set', `to-${place}`, 'master', bridge, 'up')
    await ip('-n', place, 'addr', 'add', `${addresses[place]}/24`, 'dev', 'eth0')
    await ip('-n', place, 'link', 'set', 'eth0', 'up')
    await ip('-n', place, 'link', 'set', 'lo', 'up')
  }
  const neighbour = (verb: 'replace' | 'del', from: Place, to: Place): Promise<unknown> => {
    const [where, device] = from === 'clients' ? [[], bridge] : [['-n', from], 'eth0']
    const wrong = verb === 'replace' ? ['lladdr', nowhere, 'nud', 'permanent'] : []
    return ip(...where, 'neigh', verb, addresses[to], ...wrong, 'dev', device)
  }
  return {
    kind: 'namespaces',
    cutsPeers: true,
    hostOf: (place) => addresses[place],
    commandAt: (place) => (place === 'clients' ? [] : ['nsenter', `--net=/run/netns/${place}`, '--']),
    reach: async (_, to, port) => `${addresses[to]}:${port}`,
    cut: async (from, to) => void (await neighbour('replace', from, to)),
    heal: async (from, to) => void (await neighbour('del', from, to)),
    // The run over the next store makes them again.
    close: async () => {
      for (const place of places) {
        await ip('link', 'del', `to-${place}`)
        await ip('netns', 'del', place)
      }
      await ip('link', 'del', bridge)
    },
  }
}
