-- Who offers add-ons, who is a member there, and what waits for an operator (AP-10). The log decides; these tables say where to look.
create table publishers (
  publisher_id text collate "C" primary key,
  name         text not null,
  words        text[] not null,
  created_at   bigint not null
);
create index publishers_by_words on publishers using gin (array_to_tsvector(words));
create table publisher_members (
  publisher_id text collate "C" not null,
  user_id      text collate "C" not null,
  source       text not null,
  since        bigint not null,
  primary key (publisher_id, user_id, source)
);
create index publisher_members_by_user on publisher_members (user_id);
create table publisher_addons (
  addon_id     text collate "C" primary key,
  publisher_id text collate "C" not null,
  since        bigint not null
);
create index publisher_addons_by_publisher on publisher_addons (publisher_id, addon_id);
create table waiting_changes (
  addon_id  text collate "C" not null,
  change_id text collate "C" not null,
  since     bigint not null,
  primary key (addon_id, change_id)
);
-- Organizations whose names publishers do not see.
alter table organizations add column hidden boolean not null default false;
