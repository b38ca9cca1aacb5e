import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aboutNotes } from './about-notes.ts'

const manifests = {
  'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
  'role.yaml': 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n',
}

test('about notes: names ConfigMaps anew in commands, manifests and what was printed', () => {
  const { transcript, numbers } = aboutNotes({
    name: 'apply',
    manifests,
    steps: [
      { cmd: 'kubectl apply -f a.yaml', stdout: 'configmap/a created\n' },
      { cmd: 'kubectl apply -f role.yaml', stdout: 'role.rbac.authorization.k8s.io/r created\n' },
      { cmd: 'kubectl get cm nope', stderr: 'configmaps "nope" not found\n' },
      { cmd: 'kubectl get cm/a -o yaml', stdout: 'apiVersion: v1\nkind: ConfigMap\n' },
    ],
  })
  assert.deepEqual(numbers, [1, 3, 4])
  assert.deepEqual(transcript.manifests, {
    'a.yaml': 'apiVersion: notes.transcripts.dev/v1\nkind: Note\nmetadata:\n  name: a\n',
  })
  assert.deepEqual(transcript.steps, [
    { cmd: 'kubectl apply -f a.yaml', stdout: 'note.notes.transcripts.dev/a created\n' },
    {
      cmd: 'kubectl get notes.notes.transcripts.dev nope',
      stderr: 'notes.notes.transcripts.dev "nope" not found\n',
    },
    {
      cmd: 'kubectl get notes.notes.transcripts.dev/a -o yaml',
      stdout: 'apiVersion: notes.transcripts.dev/v1\nkind: Note\n',
    },
  ])
})

test('about notes: a creation by command becomes one by manifest', () => {
  const during = ['kubectl create cm w -n t-watch', 'kubectl create -f w.yaml']
  const { transcript } = aboutNotes({ name: 'watch', steps: [{ cmd: 'kubectl get cm -w', during }] })
  assert.deepEqual(transcript.steps[0]?.during, ['kubectl create -f new-w.yaml'])
  assert.match(
    String(transcript.manifests?.['new-w.yaml']),
    /kind: Note\nmetadata: \{name: w, namespace: t-watch\}/,
  )
})
