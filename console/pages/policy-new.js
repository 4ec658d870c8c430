// A new policy of a service.

export { create as page } from "./policy-editor.js";
