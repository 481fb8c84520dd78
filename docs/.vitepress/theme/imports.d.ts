// TypeScript reads neither Vue files nor style sheets.
declare module "*.vue" {
  const component: import("vue").Component;
  export default component;
}
declare module "*.css";
