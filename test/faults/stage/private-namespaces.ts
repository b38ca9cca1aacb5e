import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { childrenOf } from '../../support/child-processes.ts'

/** Set in the process that runs in namespaces of its own. */
const mark = 'STRATA_FAULTS_PRIVATE'

/** Whether this is the inner process of `runInside`. */
export const isInside = (): boolean => process.env[mark] !== undefined
export const isPrivate = (): boolean => process.env[mark] === '1'

const flags = [
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child=SIGKILL',
  '--mount-proc',
  '--propagation',
  'private',
]

/** Whether this user and this kernel can do it. */
export function canBePrivate(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    const probe = 'ip link add probe0 type bridge && ip link add probe1 type veth peer name probe2'
    execFileSync('unshare', [...flags, 'sh', '-c', probe], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Runs this program again, if possible in namespaces for network, mounts and processes. When its first process ends, however
 * it ends, the kernel ends all others in there, and removes every mount, interface and namespace. Returns its exit code.
 */
export async function runInside(
  args: readonly string[],
  { isPrivate: hasOwn, environment }: { readonly isPrivate: boolean; readonly environment: object },
): Promise<number> {
  const prefix = hasOwn ? ['unshare', ...flags] : []
  const [program = '', ...rest] = [...prefix, process.execPath, ...process.execArgv, ...args]
  const child = spawn(program, rest, {
    stdio: 'inherit',
    env: { ...process.env, ...environment, [mark]: hasOwn ? '1' : '0' },
  })
  const pids = (): readonly number[] => (hasOwn ? childrenOf(child.pid ?? 0) : [child.pid ?? 0])
  // The terminal sends Ctrl-C to all. What comes otherwise is passed on, past unshare, which ignores it; then waited for.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      for (const pid of pids()) process.kill(pid, signal)
    })
  }
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)))
  })
}

/** To be called inside: names of network namespaces are files, and must not be seen outside. */
export function hideNamespaceNames(): void {
  mkdirSync('/run/netns', { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', 'netns', '/run/netns'])
}
