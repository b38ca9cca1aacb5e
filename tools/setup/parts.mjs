import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DEBIAN_CHROMIUM, findChromium, isChromium, MINIMUM_CHROMIUM } from './chromium.mjs'
import { tryRun, which } from './command.mjs'
import { isDebianAvailable, unpackDebianPackage } from './debian.mjs'
import { SetupProblem } from './problem.mjs'

/**
 * What tests run against, beside our own. One that the machine has is taken if it is new
 * enough, else it is unpacked from Debian into .strata/tools; that takes neither root nor an installation.
 */
const PARTS = {
  etcd: {
    variable: 'STRATA_ETCD',
    find: () => which('etcd'),
    debian: { name: 'etcd-server', suite: 'bookworm', program: 'usr/bin/etcd' },
    advice: 'install etcd 3.4 or newer, or set STRATA_ETCD to where it is',
  },
  /** Takes and restores snapshots of etcd. */
  etcdctl: {
    variable: 'STRATA_ETCDCTL',
    find: () => which('etcdctl'),
    debian: { name: 'etcd-client', suite: 'bookworm', program: 'usr/bin/etcdctl' },
    advice: 'install etcdctl 3.4 or newer, or set STRATA_ETCDCTL to where it is',
  },
  kubectl: {
    variable: 'STRATA_KUBECTL',
    find: () => findKubectl(MINIMUM_KUBECTL),
    // Debian 12's own is 1.20, too old to be the client that people use today.
    debian: { name: 'kubectl', suite: 'trixie', program: 'usr/bin/kubectl' },
    advice: 'install kubectl 1.30 or newer, or set STRATA_KUBECTL to where it is',
  },
  'old-kubectl': {
    variable: 'STRATA_KUBECTL_OLD',
    find: () => undefined,
    debian: { name: 'kubernetes-client', suite: 'bookworm', program: 'usr/bin/kubectl' },
    advice: 'set STRATA_KUBECTL_OLD to a kubectl 1.20',
  },
  /** A folder of modules rather than a program: what python3 finds `kubernetes` in. */
  'python-client': {
    variable: 'STRATA_PYTHON_CLIENT',
    find: () => findModules('kubernetes', importClient),
    debian: {
      name: 'python3-kubernetes',
      suite: 'bookworm',
      program: 'usr/lib/python3/dist-packages',
      // What `import kubernetes` and its leader election need; compiled modules are not among it.
      needs: [
        ...['cachetools', 'certifi', 'chardet', 'charset-normalizer', 'dateutil', 'google-auth', 'idna'],
        ...['oauthlib', 'pyasn1', 'pyasn1-modules', 'requests', 'requests-oauthlib', 'rsa', 'six'],
        ...['urllib3', 'websocket', 'yaml'],
      ].map((name) => `python3-${name}`),
    },
    runs: (folder) => canImport(folder, importClient),
    advice:
      'install python3 and its kubernetes client 22 or newer, or set STRATA_PYTHON_CLIENT to the folder of its modules',
  },
  /** Runs the example of tests in Python. A folder of modules, too. */
  pytest: {
    variable: 'STRATA_PYTEST',
    find: () => findModules('pytest', 'import pytest'),
    debian: {
      name: 'python3-pytest',
      suite: 'bookworm',
      program: 'usr/lib/python3/dist-packages',
      needs: ['attr', 'iniconfig', 'packaging', 'pluggy'].map((name) => `python3-${name}`),
    },
    runs: (folder) => canImport(folder, 'import pytest'),
    advice: 'install python3 and pytest 7 or newer, or set STRATA_PYTEST to the folder of its modules',
  },
  /** Opens the dashboard in tests. */
  chromium: {
    variable: 'STRATA_CHROMIUM',
    find: findChromium,
    debian: DEBIAN_CHROMIUM,
    runs: isChromium,
    advice: `install Chromium ${MINIMUM_CHROMIUM} or newer, or set STRATA_CHROMIUM to where it is`,
  },
}
const MINIMUM_KUBECTL = 30

export const partNames = Object.keys(PARTS)

/** Where a part is, or undefined if it has yet to be brought. The environment's word comes first. */
export function findPart(root, name) {
  const { variable, find, debian } = PARTS[name]
  const named = process.env[variable]
  if (named) {
    if (!existsSync(named)) throw new SetupProblem(`${variable} is ${named}, and there is no such file`)
    return named
  }
  const unpacked = join(homeOf(root, debian), debian.program)
  return find() ?? (existsSync(unpacked) ? unpacked : undefined)
}

export async function bringPart(root, name) {
  const { debian, advice, runs = isProgram } = PARTS[name]
  if (!isDebianAvailable()) throw new SetupProblem(`${name} is missing: ${advice}`)
  const home = homeOf(root, debian)
  try {
    await unpackDebianPackage({ ...debian, home })
  } catch (error) {
    throw new SetupProblem(`${name} is missing and could not be had from Debian: ${advice}\n${error.message}`)
  }
  const program = join(home, debian.program)
  if (!runs(program)) {
    throw new SetupProblem(`${name} of Debian ${debian.suite} does not run here: ${advice}`)
  }
  return program
}

/** @returns {Record<string, string>} the parts as environment variables; absent ones are left out */
export const partsEnvironment = (root, names) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const path = findPart(root, name)
      return path === undefined ? [] : [[PARTS[name].variable, path]]
    }),
  )

const homeOf = (root, { name, suite }) => join(root, '.strata', 'tools', `${name}-${suite}`)

const isProgram = (path) => tryRun(path, ['--help']) !== undefined

const importClient = 'import kubernetes.client, kubernetes.leaderelection'

function findModules(module, statement) {
  const print = `import os; print(os.path.dirname(os.path.dirname(${module}.__file__)))`
  const python = which('python3')
  return python && tryRun(python, ['-c', `${statement}; ${print}`])?.trim()
}

function canImport(folder, statement) {
  const python = which('python3')
  const find = `import sys; sys.path.insert(0, ${JSON.stringify(folder)}); ${statement}`
  return python !== undefined && tryRun(python, ['-c', find]) !== undefined
}

function findKubectl(minimumMinor) {
  const path = which('kubectl')
  if (path === undefined) return undefined
  const minor = /GitVersion"?:\s*"?v1\.(\d+)/i.exec(
    tryRun(path, ['version', '--client', '-o', 'json']) ?? '',
  )?.[1]
  return Number(minor) >= minimumMinor ? path : undefined
}
