export { Admission } from './admission.ts'
export { AdmissionRefusal } from './refusal.ts'
export type { AdmissionRequest, AdmittedResource, Annotate, Operation } from './request.ts'
