import { defineEmptyKind } from '../machinery/define-empty-kind.ts'
import { admissionRegistrationGroup } from './webhook.ts'

const definePolicy = (kind: string, plural: string, description: string, hasStatus = false) =>
  defineEmptyKind({
    ...{ group: admissionRegistrationGroup, kind, plural, description, hasStatus },
    categories: ['api-extensions'],
    why: 'this server does not enforce admission policies; use admission webhooks, or validation rules of a CRD',
  })

export const validatingAdmissionPolicies = definePolicy(
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
  'Rules in CEL that can reject requests.',
  true,
)

export const validatingAdmissionPolicyBindings = definePolicy(
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
  'Says where a ValidatingAdmissionPolicy applies.',
)

export const mutatingAdmissionPolicies = definePolicy(
  'MutatingAdmissionPolicy',
  'mutatingadmissionpolicies',
  'Rules in CEL that can change objects before they are stored.',
)

export const mutatingAdmissionPolicyBindings = definePolicy(
  'MutatingAdmissionPolicyBinding',
  'mutatingadmissionpolicybindings',
  'Says where a MutatingAdmissionPolicy applies.',
)
